// Certificates of the scripted program: each dialog returns one file.
import type { CertificateRow } from '../../generated/CertificateRow';
import type { CertificatesView } from '../../generated/CertificatesView';
import { ScriptedPart } from './part';

const FAR = Date.UTC(2036, 4, 1);
const PAST = Date.UTC(2026, 0, 31);

export class ScriptedCertificates extends ScriptedPart {
  rows: CertificateRow[] = [
    {
      origin: 'https://nas-01.example:8443',
      client: false,
      fingerprint: 'a1',
      subject: 'Home CA',
      issuer: null,
      until: PAST,
      valid: false,
    },
  ];
  /** Whether the next dialog is cancelled. */
  cancelled = false;
  /** Why the next file is refused. */
  refusal: string | null = null;

  async all(): Promise<CertificateRow[]> {
    return this.rows;
  }

  authority(address: string): Promise<CertificatesView | null> {
    this.program.asked.push(['addAuthorities', address]);
    const row = { subject: 'Acme Root', issuer: null, fingerprint: 'b2', client: false };
    const text = (origin: string) =>
      this.l(`The authority is trusted at ${origin} only`, `只有 ${origin} 会使用这 1 个证书颁发机构`);
    return this.#add(address, row, text);
  }

  client(address: string): Promise<CertificatesView | null> {
    this.program.asked.push(['addClientCertificate', address]);
    const row = { subject: 'mona', issuer: 'Acme Root', fingerprint: 'c3', client: true };
    const text = (origin: string) => this.l(`mona is used for ${origin} only`, `mona 只用于 ${origin}`);
    return this.#add(address, row, text);
  }

  async remove(origin: string, fingerprint: string): Promise<CertificatesView> {
    this.program.asked.push(['removeCertificate', origin, fingerprint]);
    this.rows = this.rows.filter((row) => row.origin !== origin || row.fingerprint !== fingerprint);
    return { rows: this.rows, text: '' };
  }

  async #add(
    address: string,
    row: Omit<CertificateRow, 'origin' | 'until' | 'valid'>,
    text: (origin: string) => string,
  ): Promise<CertificatesView | null> {
    if (this.refusal !== null) return Promise.reject({ code: 'invalid', text: this.refusal });
    if (this.cancelled) return null;
    const origin = address.includes('://') ? address : `https://${address}`;
    this.rows = [...this.rows, { ...row, origin, until: FAR, valid: true }];
    return { rows: this.rows, text: text(origin) };
  }
}

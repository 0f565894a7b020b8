// Tests of certificates in the settings: the list, adding one by its file, and removing it.
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { asked, button, find, snackbar, there, until } from './support/page';
import { fieldError, fillField, settings, textOf } from './support/settings';

const words = (fingerprint: string) => textOf(`[data-certificate="${fingerprint}"]`);

test('a_certificate_is_shown_with_its_address_and_its_end_and_an_expired_one_says_so', async () => {
  await settings('sources-advanced');
  await there('[data-certificate]');
  expect(words('a1')).toContain('Home CA https://nas-01.example:8443');
  expect(words('a1')).toContain('Certificate authority, self-signed. Expired or not valid yet. Its last day is 31 Jan');
  expect(await violations()).toEqual([]);
});

test('an_authority_and_a_client_certificate_are_added_by_their_files_and_removed', async () => {
  const { platform } = await settings('sources-advanced');
  await there('[data-certificate]');
  find('[data-add-authority]').click();
  await until(() => fieldError('Certificate for').includes('Enter the address of a server'));
  expect(asked(platform, 'addAuthorities')).toEqual([]);

  fillField('Certificate for', ' git.acme.example ');
  find('[data-add-authority]').click();
  await there('[data-certificate="b2"]');
  expect(asked(platform, 'addAuthorities')).toEqual([['addAuthorities', 'git.acme.example']]);
  expect(snackbar()).toContain('The authority is trusted at https://git.acme.example only');
  expect(words('b2')).toContain('Certificate authority, self-signed. Valid until 1 May 2036');

  fillField('Certificate for', 'https://git.acme.example');
  find('[data-add-client]').click();
  await there('[data-certificate="c3"]');
  expect(words('c3')).toContain('Client certificate, signed by Acme Root. Valid until 1 May 2036');
  expect(await violations()).toEqual([]);

  button('Remove mona for https://git.acme.example').click();
  await until(() => document.querySelector('[data-certificate="c3"]') === null);
  expect(snackbar()).toContain('mona removed for https://git.acme.example');
  expect(document.activeElement?.tagName).toBe('INPUT');
});

test('a_file_that_is_refused_is_told_at_the_field_and_a_cancelled_dialog_leaves_everything', async () => {
  const { platform } = await settings('sources-advanced', 'lang=zh');
  await there('[data-certificate]');
  expect(words('a1')).toContain('证书颁发机构，自签名。已过期或尚未生效');
  platform.certs.refusal = 'ca.p12 是 PKCS#12';
  fillField('证书用于', 'git.acme.example');
  find('[data-add-authority]').click();
  await until(() => fieldError('证书用于').includes('ca.p12 是 PKCS#12'));
  platform.certs.refusal = null;
  platform.certs.cancelled = true;
  find('[data-add-client]').click();
  await until(() => asked(platform, 'addClientCertificate').length === 1);
  expect(platform.certs.rows).toHaveLength(1);
});

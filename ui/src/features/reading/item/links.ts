// Where links lead, as text for the page. No link is ever opened inside the page.

export function hostOf(url: string): string {
  try {
    const { host, pathname, protocol } = new URL(url);
    return protocol === 'mailto:' ? pathname : host;
  } catch {
    return url;
  }
}

/** A part of an address with its percent encoding decoded; unchanged if that can't be decoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether the program opens links of this scheme. */
export function opensOutside(url: string): boolean {
  return /^(https?|mailto|tidings):/i.test(url);
}

/**
 * Text that reads as a web or mail address: all of it a host or an address, or `://` or `www.` anywhere in it. Links
 * come from elsewhere and may be long, so every alternative takes time proportional to the text and none may search
 * again from each character.
 */
const ADDRESS =
  /^[^\s@/]+@([\p{L}\p{M}\p{N}_-]+\.)+[\p{L}\p{M}\p{N}_-]+$|^([\p{L}\p{M}\p{N}-]+\.)+[\p{L}\p{M}]{2,}(:\d+)?([/?#].*)?$|:\/\/|\bwww\./iu;

/** A character with which a host can begin. */
const BEGINNING = /[\p{L}\p{N}.-]/u;

/** Scheme and user at the beginning of a text, and the host as the group. */
const HOST = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^\s/?#]*@)?([\p{L}\p{M}\p{N}.-]+)/iu;

/** Invisible characters, which split a name for a program but not for a reader. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The first host in a text, in lower case; empty if there is none. */
function hostIn(text: string): string {
  const from = text.search(BEGINNING);
  return from < 0 ? '' : (HOST.exec(text.slice(from))?.[1]?.toLowerCase() ?? '');
}

/**
 * The host to which a link leads, if its text reads as an address elsewhere; null if it does not. `to` is that host
 * as the program shows it to people; one in the form that is resolved is always returned, since its letters look like
 * others.
 */
export function leadsElsewhere(text: string, url: string, to = hostOf(url)): string | null {
  const said = text.replaceAll(UNSEEN, '').trim();
  if (!ADDRESS.test(said)) return null;
  if (/^mailto:/i.test(url)) return said.toLowerCase() === decoded(to).toLowerCase() ? null : to;
  const bare = (name: string) => name.replace(/:\d+$/, '').replace(/^www\./, '');
  return bare(hostIn(said)) === bare(to.toLowerCase()) && !to.includes('xn--') ? null : to;
}

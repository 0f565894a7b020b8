// Where a link leads, in the words of the page. Nothing is ever opened inside the page.

export function hostOf(url: string): string {
  try {
    const { host, pathname, protocol } = new URL(url);
    return protocol === 'mailto:' ? pathname : host;
  } catch {
    return url;
  }
}

/** Whether the program would open it at all. */
export function opensOutside(url: string): boolean {
  return /^(https?|mailto|tidings):/i.test(url);
}

/**
 * Text that reads as a web or mail address: all of it a host or an address, or `://` or `www.` anywhere in it. Links come
 * from elsewhere and may be long: each part takes time in proportion to the text, so nothing may be looked for again from
 * each of its letters.
 */
const ADDRESS = /^[^\s@/]+@([\w-]+\.)+[\w-]+$|^([\p{L}\p{N}-]+\.)+\p{L}{2,}(:\d+)?([/?#].*)?$|:\/\/|\bwww\./iu;

/** Where a host can begin. */
const BEGINNING = /[\p{L}\p{N}.-]/u;

/** What comes before the host at the beginning of a text, and the host. */
const HOST = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^\s/?#]*@)?([\p{L}\p{N}.-]+)/iu;

/** Characters that take no room: they part a name for a program and not for the eye. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The host that a text names first, in small letters; empty where it names none. */
function hostIn(text: string): string {
  const from = text.search(BEGINNING);
  return from < 0 ? '' : (HOST.exec(text.slice(from))?.[1]?.toLowerCase() ?? '');
}

/**
 * Where a link leads, when its text reads as an address of somewhere else; null where it does not. A host that is not
 * written in Latin letters is always told as it is asked for, since other letters look like them.
 */
export function leadsElsewhere(text: string, url: string): string | null {
  const said = text.replaceAll(UNSEEN, '').trim();
  const to = hostOf(url);
  if (!ADDRESS.test(said)) return null;
  if (/^mailto:/i.test(url)) return said.toLowerCase() === decodeURIComponent(to).toLowerCase() ? null : to;
  const bare = (name: string) => name.replace(/:\d+$/, '').replace(/^www\./, '');
  return bare(hostIn(said)) === bare(to.toLowerCase()) && !to.includes('xn--') ? null : to;
}

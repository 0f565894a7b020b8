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

/** Text that reads as a web or mail address: all of it a host or an address, or a scheme or `www.` anywhere in it. */
const ADDRESS =
  /^[^\s@/]+@([\w-]+\.)+[\w-]+$|^([\p{L}\p{N}-]+\.)+\p{L}{2,}(:\d+)?([/?#].*)?$|[a-z][\w+.-]*:\/\/|\bwww\./iu;

/** What comes before the host in the text of a link, and what comes after it. */
const HOST = /(?:[a-z][\w+.-]*:\/\/)?(?:[^\s/?#]*@)?([\p{L}\p{N}.-]+)/iu;

/**
 * Where a link leads, when its text reads as an address of somewhere else; null where it does not. A host that is not
 * written in Latin letters is always told as it is asked for, since other letters look like them.
 */
export function leadsElsewhere(text: string, url: string): string | null {
  const said = text.trim();
  const to = hostOf(url);
  if (!ADDRESS.test(said)) return null;
  if (/^mailto:/i.test(url)) return said.toLowerCase() === decodeURIComponent(to).toLowerCase() ? null : to;
  const host = HOST.exec(said)?.[1]?.toLowerCase() ?? '';
  const bare = (name: string) => name.replace(/:\d+$/, '').replace(/^www\./, '');
  return bare(host) === bare(to.toLowerCase()) && !to.includes('xn--') ? null : to;
}

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
  return /^(https?|mailto):/i.test(url);
}

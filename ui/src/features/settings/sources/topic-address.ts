// The address of a source that ends with its topics, `https://host/topic,topic`, in a form: the server, and the topics.

/** The server of such an address and its topics. */
export function splitAddress(url: string): { server: string; topics: string } {
  const scheme = /^[a-z]+:\/\//i.exec(url)?.[0] ?? '';
  const [host = '', ...path] = url.slice(scheme.length).replace(/\/+$/, '').split('/');
  const topics = path.pop() ?? '';
  return { server: scheme + [host, ...path].join('/'), topics };
}

/** The address of a server with topics as they were typed. Without topics it is the one that was typed. */
export function joinAddress(server: string, topics: string): string {
  const names = topics.split(/[\s,，、]+/).filter(Boolean);
  return names.length === 0 ? server.trim() : `${server.trim().replace(/\/+$/, '')}/${names.join(',')}`;
}

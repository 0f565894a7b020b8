// The tint of a name, as the program gives people theirs.

/** 0 to 7, the same on every computer: a folded FNV-1a hash, modulo 8. */
export function tintOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return ((hash ^ (hash >>> 16)) >>> 0) % 8;
}

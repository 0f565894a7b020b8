// Copying to the clipboard.

/** Copies text, even if the web view offers `navigator.clipboard` only to pages of other schemes. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'sr-only';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

// The keys that the reader gave to commands in place of those in the table of shortcuts.

class CustomKeys {
  /** The ways to press each changed command, by its name. */
  current: Readonly<Record<string, readonly string[]>> = $state.raw({});
}

export const customKeys = new CustomKeys();

// The id of the text that describes a control, passed through the context by the row that contains the control.
import { getContext, setContext } from 'svelte';

const KEY = Symbol('described by');

export function provideDescription(id: () => string | undefined): void {
  setContext(KEY, id);
}

export function useDescription(): () => string | undefined {
  return getContext<(() => string | undefined) | undefined>(KEY) ?? (() => undefined);
}

// The picker of a day and a time, whose code is loaded when it is needed.
export const dateTimePicker = () => import('./DateTimePicker.svelte');

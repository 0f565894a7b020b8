// What the window does not show at first: read in when it is first asked for, so that the list is there sooner.
export const settings = () => import('./settings/SettingsView.svelte');
export const addSource = () => import('./settings/sources/AddSource.svelte');
export const palette = () => import('./palette/Palette.svelte');
export const keys = () => import('./commands/KeysDialog.svelte');
export const newConversation = () => import('./compose/NewConversation.svelte');
export const pressQuestion = () => import('./reading/item/ConfirmAction.svelte');
export const thread = () => import('./reading/Thread.svelte');
export const welcome = () => import('./welcome/WelcomePane.svelte');

// What the window does not show at first: read in when it is first asked for, so that the list is there sooner.
export const settings = () => import('./settings/SettingsView.svelte');
export const addSource = () => import('./settings/AddSource.svelte');
export const palette = () => import('./palette/Palette.svelte');
export const keys = () => import('./keys/KeysDialog.svelte');
export const newConversation = () => import('./begin/NewConversation.svelte');
export const pressQuestion = () => import('./reading/PressQuestion.svelte');
export const thread = () => import('./reading/Thread.svelte');
export const welcome = () => import('./welcome/WelcomePane.svelte');

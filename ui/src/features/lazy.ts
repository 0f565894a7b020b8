// Parts of the window that are not shown first: their code is loaded when they are needed, so that the list is on
// screen sooner.
export const settings = () => import('./settings/SettingsView.svelte');
export const addSource = () => import('./settings/sources/AddSource.svelte');
export const importSources = () => import('./settings/sources/ImportSources.svelte');
export const palette = () => import('./palette/Palette.svelte');
export const keys = () => import('./commands/KeysDialog.svelte');
export const newConversation = () => import('./compose/NewConversation.svelte');
export const publishOnTopic = () => import('./compose/PublishOnTopic.svelte');
export const confirmAction = () => import('./reading/item/ConfirmAction.svelte');
export const confirmDelete = () => import('./reading/item/ConfirmDelete.svelte');
export const picture = () => import('./reading/item/Picture.svelte');
export const editItem = () => import('./reading/item/EditItem.svelte');
export const ruleEditor = () => import('./settings/rules/RuleEditor.svelte');
export const thread = () => import('./reading/Thread.svelte');
export const welcome = () => import('./welcome/WelcomePane.svelte');
export const typedTime = () => import('./list/typed-time');
export const digest = () => import('./digest/DigestView.svelte');

// The attachments that the page offers to preview. The program inspects the file itself before it returns a preview.
import type { AttachmentView } from '../../../generated/AttachmentView';

const ENDINGS = /\.(png|jpe?g|gif|webp|bmp|txt|log|md|csv|tsv|json|ya?ml|toml|xml|ini|conf|diff|patch)$/i;
const MEDIA = /^(image\/(png|jpeg|gif|webp|bmp)|text\/|application\/(json|xml|yaml|toml))/i;

export function canBeShown(file: AttachmentView): boolean {
  return file.media ? MEDIA.test(file.media) : ENDINGS.test(file.name);
}

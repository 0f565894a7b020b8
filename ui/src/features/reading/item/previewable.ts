// The attachments that the page offers to preview, and the attachments and images that it shows at once. The program
// inspects the file itself before it returns a preview.
import type { AttachedFile } from '../../../generated/AttachedFile';
import type { AttachmentView } from '../../../generated/AttachmentView';
import type { SourceRow } from '../../../generated/SourceRow';
import { hostOf } from './links';

const PICTURES = /\.(png|jpe?g|gif|webp|bmp)$/i;
const PICTURE_MEDIA = /^image\/(png|jpeg|gif|webp|bmp)/i;
const TEXTS = /\.(txt|log|md|csv|tsv|json|ya?ml|toml|xml|ini|conf|diff|patch)$/i;
const TEXT_MEDIA = /^(text\/|application\/(json|xml|yaml|toml))/i;
/** The largest picture that is shown without being asked for, bytes. */
const LARGEST = 10_000_000;

function isPicture({ media, name }: AttachmentView): boolean {
  return media ? PICTURE_MEDIA.test(media) : PICTURES.test(name);
}

export function canBeShown(file: AttachmentView): boolean {
  return isPicture(file) || (file.media ? TEXT_MEDIA.test(file.media) : TEXTS.test(file.name));
}

/** Whether an attachment is shown at once. Such a picture was sent by the reader or came to the own server. The source
 * itself keeps it, so that nobody else learns that it was seen. */
export function isShownAtOnce(file: AttachmentView, own: boolean, source: SourceRow | undefined): boolean {
  if (!source || !(own || source.own)) return false;
  return isPicture(file) && (file.size ?? 0) <= LARGEST && hostOf(file.url) === hostOf(source.url);
}

/** Whether the file of a message that waits to be sent is shown at once. */
export function isPictureToSend({ name, size }: AttachedFile): boolean {
  return PICTURES.test(name) && size <= LARGEST;
}

/**
 * Whether an image in a text is shown at once: the own server keeps it as a file. No other path of that server is
 * requested by merely showing a text, as some of them publish.
 */
export function isOwnFile(address: string, source: SourceRow | undefined): boolean {
  if (!source?.own || !URL.canParse(address) || !URL.canParse(source.url)) return false;
  const { origin, pathname } = new URL(address);
  return origin === new URL(source.url).origin && /^\/file\/[^/]+$/.test(pathname);
}

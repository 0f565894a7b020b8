// The icon of a source, by its protocol. One without an icon of its own has that of sources.

import type { SourceRow } from '../../generated/SourceRow';
import type { IconName } from '../../icons';

const byProtocol: Record<string, IconName> = {
  tidings: 'briefcase',
  ntfy: 'radio',
  gotify: 'house',
  github: 'git-pull-request',
  forgejo: 'git-branch',
  gitlab: 'git-merge',
  mastodon: 'message-circle',
  feed: 'rss',
  desktop: 'app-window',
};

export function sourceIcon(source: SourceRow): IconName {
  return source.own ? 'laptop' : (byProtocol[source.protocol] ?? 'rss');
}

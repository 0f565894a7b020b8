// The icon of a source, by its protocol.
import type { IconName } from '../../components/icons/icons';
import type { SourceRow } from '../../generated/SourceRow';

const byProtocol: Record<string, IconName> = {
  tidings: 'briefcase',
  ntfy: 'radio',
  gotify: 'house',
  github: 'git-pull-request',
};

export function sourceIcon(source: SourceRow): IconName {
  return source.own ? 'laptop' : (byProtocol[source.protocol] ?? 'rss');
}

import { useStoreNow } from '../state/store-time.js';
import { dateTimeText, LOCAL_ZONE, relativeText, shortDateTimeText, zonedText } from './texts.js';

interface InstantProps {
  readonly at: number;
  /** A zone to tell the instant in too, on demand. */
  readonly zone?: string | undefined;
}

/** An instant in the reader's own zone. */
export function Instant({ at, zone }: InstantProps) {
  return (
    <time dateTime={new Date(at).toISOString()} title={titleOf(at, zone)}>
      {shortDateTimeText(at)}
    </time>
  );
}

/** An instant as the time until or since then, which goes on. */
export function Countdown({ at, zone }: InstantProps) {
  const now = useStoreNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={titleOf(at, zone)} class="countdown">
      {relativeText(at, now)}
    </time>
  );
}

function titleOf(at: number, zone: string | undefined): string {
  const local = `${dateTimeText(at)} (${LOCAL_ZONE})`;
  return zone === undefined || zone === LOCAL_ZONE ? local : `${local}\n${zonedText(at, zone)} (${zone})`;
}

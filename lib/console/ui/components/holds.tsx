import { useState } from 'preact/hooks';
import type { Hold } from '../api/answers.js';
import { call } from '../api/client.js';
import { useMay } from '../state/access.js';
import { notify } from '../state/notices.js';
import { Confirmation } from './confirmation.js';
import { SuspensionDialog } from './suspension-dialog.js';
import { dateTimeText } from './texts.js';

interface HoldsProps {
  readonly holds: readonly Hold[];
  readonly onChanged: () => void;
}

/** What is held: by whom, since when, until when and why. Nothing where nothing is. */
export function Holds({ holds, onChanged }: HoldsProps) {
  return holds.length === 0 ? null : (
    <ul aria-label="Holds">
      {holds.map((hold) => (
        <li key={hold.jobName ?? ''} class="message message-warn">
          <span>{holdText(hold)}</span>
          <Release hold={hold} onChanged={onChanged} />
        </li>
      ))}
    </ul>
  );
}

interface ReleaseProps {
  readonly hold: Hold;
  readonly onChanged: () => void;
}

function Release({ hold, onChanged }: ReleaseProps) {
  const [isAsked, setAsked] = useState(false);
  const may = useMay();
  const { jobName } = hold;
  const title = `Release ${jobName === undefined ? 'everything' : `the job ${jobName}`}`;
  if (!may('schedule/release')) {
    return null;
  }
  return (
    <>
      <button type="button" class="button-small" aria-label={title} onClick={() => setAsked(true)}>
        Release
      </button>
      {isAsked && (
        <Confirmation
          title={title}
          text="What became due meanwhile fires, or does not, as the misfire policy of each schedule says."
          confirm="Release"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await call('schedule/release', { jobName });
            notify(`${nameOf(hold)} is released.`);
            onChanged();
          }}
        />
      )}
    </>
  );
}

/** Holds the whole store, unless it is held, as far as it is permitted. */
export function HoldEverything({ holds, onChanged }: HoldsProps) {
  const [isAsked, setAsked] = useState(false);
  const may = useMay();
  if (!may('schedule/hold') || holds.some(({ jobName }) => jobName === undefined)) {
    return null;
  }
  return (
    <>
      <button type="button" class="button" onClick={() => setAsked(true)}>
        Hold everything
      </button>
      {isAsked && (
        <SuspensionDialog
          title="Hold everything"
          verb="Hold everything"
          explanation="Nothing fires any more, retries and recoveries included. Runs that are running now go on."
          onClose={() => setAsked(false)}
          onSuspend={async (terms) => {
            await call('schedule/hold', terms);
            setAsked(false);
            notify('Everything is held.');
            onChanged();
          }}
        />
      )}
    </>
  );
}

function holdText(hold: Hold): string {
  const { heldBy, heldAtUnixMs, untilUnixMs, note } = hold;
  const until = untilUnixMs === undefined ? '' : `, until ${dateTimeText(untilUnixMs)}`;
  const reason = note === undefined ? '.' : `: ${note}`;
  return `${nameOf(hold)} is held by ${heldBy}, since ${dateTimeText(heldAtUnixMs)}${until}${reason}`;
}

function nameOf({ jobName }: Hold): string {
  return jobName === undefined ? 'Everything' : `The job ${jobName}`;
}

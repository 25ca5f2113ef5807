import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { ListedSchedule } from '../api/answers.js';
import { useMay } from '../state/access.js';
import { notify } from '../state/notices.js';
import { useAction } from '../state/use-action.js';
import { DeleteDialog } from './delete-dialog.js';
import { RunNowDialog } from './run-now-dialog.js';
import { SuspensionDialog } from './suspension-dialog.js';

type Asked = 'run' | 'pause' | 'delete';

interface ScheduleActionsProps {
  readonly schedule: ListedSchedule;
  readonly onChanged: () => void;
  /** Called instead of `onChanged` when the schedule is gone. Absent: deleting is not offered. */
  readonly onDeleted?: (() => void) | undefined;
}

/** What can be done with a schedule, as far as it is permitted. */
export function ScheduleActions({ schedule, onChanged, onDeleted }: ScheduleActionsProps) {
  const [asked, setAsked] = useState<Asked>();
  const may = useMay();
  const resuming = useAction();
  const { name, state, isEnabled } = schedule;
  const close = () => setAsked(undefined);
  const done = (text: string) => {
    close();
    notify(text);
    onChanged();
  };
  const resume = () =>
    resuming.run(async () => {
      try {
        await call('schedule/resume', { name });
      } catch (error) {
        notify(error instanceof Error ? error.message : String(error), { isError: true });
        return;
      }
      done(`${name} is resumed.`);
    });
  return (
    <div class="actions">
      {may('schedule/trigger_now') && (
        <button
          type="button"
          class="button-small"
          aria-label={`Run now: ${name}`}
          onClick={() => setAsked('run')}
        >
          Run now
        </button>
      )}
      {isEnabled && may('schedule/pause') && (
        <button
          type="button"
          class="button-small"
          aria-label={`Pause ${name}`}
          onClick={() => setAsked('pause')}
        >
          Pause
        </button>
      )}
      {(!isEnabled || state === 'parked') && may('schedule/resume') && (
        <button
          type="button"
          class="button-small"
          aria-label={`Resume ${name}`}
          disabled={resuming.isBusy}
          onClick={resume}
        >
          Resume
        </button>
      )}
      {onDeleted !== undefined && may('schedule/delete') && (
        <button
          type="button"
          class="button-small button-danger"
          aria-label={`Delete ${name}`}
          onClick={() => setAsked('delete')}
        >
          Delete
        </button>
      )}
      {asked === 'run' && <RunNowDialog schedule={schedule} onClose={close} onDone={done} />}
      {asked === 'pause' && (
        <SuspensionDialog
          title={`Pause ${name}`}
          verb="Pause"
          explanation="It stops firing. A run that is running now goes on."
          onClose={close}
          onSuspend={async (terms) => {
            await call('schedule/pause', { name, ...terms });
            done(`${name} is paused.`);
          }}
        />
      )}
      {asked === 'delete' && onDeleted !== undefined && (
        <DeleteDialog
          schedule={schedule}
          onClose={close}
          onDone={(text) => {
            notify(text);
            onDeleted();
          }}
        />
      )}
    </div>
  );
}

import { useState } from 'preact/hooks';
import type { Run } from '../api/answers.js';
import { call } from '../api/client.js';
import { useMay } from '../state/access.js';
import { notify } from '../state/notices.js';
import { Confirmation } from './confirmation.js';

interface RunActionsProps {
  readonly run: Run;
  readonly onChanged: () => void;
}

/** What can be done with a run: to end it while it runs, and to repeat it afterwards, where it was executed. */
export function RunActions({ run, onChanged }: RunActionsProps) {
  const [asked, setAsked] = useState<'cancel' | 'rerun'>();
  const may = useMay();
  const isRunning = run.status === 'running';
  const wasExecuted = run.startedAtUnixMs !== undefined;
  const close = () => setAsked(undefined);
  const done = (text: string) => {
    close();
    notify(text);
    onChanged();
  };
  return (
    <div class="actions">
      {isRunning && may('run/cancel') && (
        <button type="button" class="button button-danger" onClick={() => setAsked('cancel')}>
          Cancel run
        </button>
      )}
      {!isRunning && wasExecuted && may('run/rerun') && (
        <button type="button" class="button" onClick={() => setAsked('rerun')}>
          Run again
        </button>
      )}
      {asked === 'cancel' && <CancelDialog run={run} onClose={close} onDone={done} />}
      {asked === 'rerun' && <RerunDialog run={run} onClose={close} onDone={done} />}
    </div>
  );
}

interface AskedProps {
  readonly run: Run;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function CancelDialog({ run, onClose, onDone }: AskedProps) {
  return (
    <Confirmation
      title="Cancel this run"
      text="Its handler is asked to stop, on whichever node it runs. It is journaled as canceled, and not recovered."
      confirm="Cancel run"
      onClose={onClose}
      onConfirm={async () => {
        const { requestedCount } = await call<{ readonly requestedCount: number }>('run/cancel', {
          id: run.id,
        });
        onDone(
          requestedCount > 0 ? 'The run is asked to stop.' : 'The run was over, or asked to stop, before.',
        );
      }}
    />
  );
}

function RerunDialog({ run, onClose, onDone }: AskedProps) {
  return (
    <Confirmation
      title="Run again"
      text="It is fired once more with the same params and the same logical time."
      confirm="Run again"
      onClose={onClose}
      onConfirm={async () => {
        await call('run/rerun', { id: run.id });
        onDone('It runs again as soon as a node is free.');
      }}
    />
  );
}

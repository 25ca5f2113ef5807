import { useEffect, useState } from 'preact/hooks';
import type { ScheduleDetail } from '../api/answers.js';
import { call } from '../api/client.js';
import { Loaded } from '../components/messages.js';
import { LOCAL_ZONE } from '../components/texts.js';
import { href, navigate } from '../state/route.js';
import { notify } from '../state/notices.js';
import { useMay } from '../state/access.js';
import type { Polled } from '../state/use-polled.js';
import { creationOf, draftOf, newDraft, savingOf } from './schedule-draft.js';
import { ScheduleForm } from './schedule-form.js';

export function NewScheduleScreen() {
  const jobs = useLoadedOnce((signal) => call<readonly string[]>('schedule/list_jobs', {}, { signal }));
  return (
    <>
      <div class="title-row">
        <h1>New schedule</h1>
      </div>
      <Loaded polled={jobs}>
        {(names) => (
          <ScheduleForm
            jobs={names}
            initial={newDraft(names[0] ?? '', LOCAL_ZONE)}
            cancelHref={href(['schedules'])}
            onSave={async (draft) => {
              const { name } = await call<{ readonly name: string }>('schedule/create', creationOf(draft));
              notify(`${name} is created.`);
              navigate(['schedules', name]);
            }}
          />
        )}
      </Loaded>
    </>
  );
}

interface Editable {
  readonly detail: ScheduleDetail;
  /** Empty where they may not be listed. */
  readonly jobs: readonly string[];
}

export function EditScheduleScreen({ name }: { readonly name: string }) {
  const may = useMay();
  const polled = useLoadedOnce(async (signal): Promise<Editable> => {
    const [detail, jobs] = await Promise.all([
      call<ScheduleDetail>('schedule/get', { name }, { signal }),
      may('schedule/list_jobs') ? call<readonly string[]>('schedule/list_jobs', {}, { signal }) : [],
    ]);
    return { detail, jobs };
  });
  return (
    <>
      <div class="title-row">
        <h1>Edit {name}</h1>
      </div>
      <Loaded polled={polled}>
        {({ detail: { schedule }, jobs }) => (
          <ScheduleForm
            jobs={jobs}
            initial={draftOf(schedule)}
            stored={schedule}
            cancelHref={href(['schedules', name])}
            onSave={async (draft) => {
              const { action, changes } = savingOf(draft, schedule);
              const changed = await call<{ readonly name: string }>(`schedule/${action}`, {
                name,
                ...changes,
                expectedVersion: schedule.version,
              });
              notify(`${changed.name} is changed.`);
              navigate(['schedules', changed.name]);
            }}
          />
        )}
      </Loaded>
    </>
  );
}

/** Reads something once: what is being edited must not change under the hand. */
function useLoadedOnce<Data>(load: (signal: AbortSignal) => Promise<Data>): Polled<Data> {
  const [outcome, setOutcome] = useState<{ data: Data | undefined; error: Error | undefined }>({
    data: undefined,
    error: undefined,
  });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal)
      .then((data) => setOutcome({ data, error: undefined }))
      .catch((failure: unknown) => {
        if (!controller.signal.aborted) {
          const error = failure instanceof Error ? failure : new Error(String(failure));
          setOutcome({ data: undefined, error });
        }
      });
    return () => controller.abort();
  }, [attempt]);
  return { ...outcome, reload: () => setAttempt((count) => count + 1) };
}

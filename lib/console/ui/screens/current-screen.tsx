import { useEffect } from 'preact/hooks';
import { EmptyScreen } from '../components/messages.js';
import { SCREEN_ENTRIES, usePermittedEntries } from '../components/screen-entries.js';
import { useStoreText } from '../components/store-text.js';
import { href, useRoute } from '../state/route.js';
import { AuditScreen } from './audit.js';
import { EditScheduleScreen, NewScheduleScreen } from './edit-schedule.js';
import { NodesScreen } from './nodes.js';
import { OverviewScreen } from './overview.js';
import { RunScreen } from './run.js';
import { RunsScreen } from './runs.js';
import { ScheduleScreen } from './schedule.js';
import { SchedulesScreen } from './schedules.js';

/** The screen that the URL names. */
export function CurrentScreen() {
  const { path } = useRoute();
  const permitted = usePermittedEntries();
  const start = permitted[0] ?? SCREEN_ENTRIES[0];
  const [screen = start.path, name, task] = path;
  const storeText = useStoreText();
  useEffect(() => {
    const shown = name ?? screen.charAt(0).toUpperCase() + screen.slice(1);
    document.title = [shown, 'Schedules', storeText].filter((text) => text !== '').join(' · ');
  }, [screen, name, storeText]);
  // Who may not see all schedules may be let see one, and so with runs: the API judges of that when it is asked.
  const entry = name === undefined ? SCREEN_ENTRIES.find((each) => each.path === screen) : undefined;
  if (entry !== undefined && !permitted.includes(entry)) {
    return (
      <EmptyScreen title="You are signed in, and may see nothing here.">
        Ask whoever gives out permissions for <code>{entry.permission}</code>. A link to a single schedule or
        run may open all the same.
      </EmptyScreen>
    );
  }
  switch (screen) {
    case 'overview':
      return <OverviewScreen />;
    case 'schedules':
      if (name === undefined) {
        return <SchedulesScreen />;
      }
      return task === 'edit' ? (
        <EditScheduleScreen key={name} name={name} />
      ) : (
        <ScheduleScreen key={name} name={name} />
      );
    case 'new':
      return <NewScheduleScreen />;
    case 'runs':
      return name === undefined ? <RunsScreen /> : <RunScreen key={name} id={name} />;
    case 'nodes':
      return <NodesScreen />;
    case 'audit':
      return <AuditScreen />;
    default:
      return (
        <EmptyScreen title="There is no such view.">
          <a href={href([])}>Start again</a>
        </EmptyScreen>
      );
  }
}

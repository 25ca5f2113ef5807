import { useEffect } from 'preact/hooks';
import { EmptyScreen } from '../components/messages.js';
import { useMay } from '../state/access.js';
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
  const may = useMay();
  const [screen = may('schedule/find_page') ? 'overview' : 'runs', name, task] = path;
  useEffect(() => {
    document.title = `${name ?? screen.charAt(0).toUpperCase() + screen.slice(1)} · Schedules`;
  }, [screen, name]);
  if (!may('schedule/find_page') && !may('run/find_page')) {
    return (
      <EmptyScreen title="You are signed in, and may see nothing here.">
        Ask whoever gives out permissions for <code>cron.schedule.query</code> and <code>cron.run.query</code>
        .
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
          Go on to the <a href={href(['overview'])}>overview</a>.
        </EmptyScreen>
      );
  }
}

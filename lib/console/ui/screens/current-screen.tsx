import { useEffect } from 'preact/hooks';
import { Empty } from '../components/messages.js';
import { useMay } from '../state/access.js';
import { href, useRoute } from '../state/route.js';
import { SchedulesScreen } from './schedules.js';

/** The screen that the URL names. */
export function CurrentScreen() {
  const { path } = useRoute();
  const may = useMay();
  const [screen = 'overview', name] = path;
  useEffect(() => {
    document.title = `${name ?? screen.charAt(0).toUpperCase() + screen.slice(1)} · Schedules`;
  }, [screen, name]);
  if (!may('schedule/find_page') && !may('run/find_page')) {
    return (
      <Empty title="You are signed in, and may see nothing here.">
        Ask whoever gives out permissions for <code>cron.schedule.query</code> and <code>cron.run.query</code>
        .
      </Empty>
    );
  }
  switch (screen) {
    case 'schedules':
      return <SchedulesScreen />;
    default:
      return (
        <Empty title="There is no such view.">
          Go on to the <a href={href(['schedules'])}>schedules</a>.
        </Empty>
      );
  }
}

import type { Node, PageOf } from '../api/answers.js';
import { call } from '../api/client.js';
import { Empty, Loaded } from '../components/messages.js';
import { Countdown, Instant } from '../components/time.js';
import { href } from '../state/route.js';
import { usePolled } from '../state/use-polled.js';

/** The processes that execute. */
export function NodesScreen() {
  const polled = usePolled('nodes', (signal) =>
    call<PageOf<Node>>('node/find_page', {}, { signal, meta: { size: 200 } }),
  );
  return (
    <>
      <div class="title-row">
        <h1>Nodes</h1>
      </div>
      <Loaded polled={polled}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No node runs.">
              Start a process of the application in which the store executes (<code>execute</code> is not
              false).
            </Empty>
          ) : (
            <NodeTable nodes={items} />
          )
        }
      </Loaded>
    </>
  );
}

function NodeTable({ nodes }: { readonly nodes: readonly Node[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Slots</th>
          <th scope="col">Heartbeat</th>
          <th scope="col" class="wide-only">
            Jobs
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <tr key={node.id}>
            <th scope="row">
              <span class="row-title">{node.host}</span>{' '}
              <span class={node.isAlive ? 'badge tone-good' : 'badge tone-bad'}>
                {node.isAlive ? 'alive' : 'gone'}
              </span>
              <div class="row-detail">
                {node.id} · process {node.pid} · version {node.version}
              </div>
              <div class="row-detail">
                <a href={href(['runs'], { node: node.id })}>Its runs</a>
              </div>
            </th>
            <td>
              {node.busySlots} of {node.slots} busy
              <progress
                class="slots"
                max={Math.max(1, node.slots)}
                value={node.busySlots}
                aria-label={`Busy slots of ${node.id}`}
              />
            </td>
            <td>
              <Countdown at={node.heartbeatAtUnixMs} />
              <div class="row-detail">
                up since <Instant at={node.startedAtUnixMs} />
              </div>
            </td>
            <td class="wide-only">
              <ul class="job-names">
                {node.jobNames.map((job) => (
                  <li key={job}>
                    <a href={href(['schedules'], { job })}>
                      <code>{job}</code>
                    </a>
                  </li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

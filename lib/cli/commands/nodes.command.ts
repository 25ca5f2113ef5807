import type { Command } from 'commander';
import type { Node } from '../../schedules/index.js';
import type { CliContext } from '../cli-context.js';
import { instantText, table } from '../printable.js';
import { show } from '../show.js';
import { withManager } from '../store-session.js';

/** `nodes`: who executes. */
export function addNodesCommand(program: Command, context: CliContext): void {
  program
    .command('nodes')
    .description('list the nodes, the newest start first')
    .action(async (_options: unknown, command: Command) => {
      const nodes = await withManager(context, command, (manager) => manager.listNodes());
      show(context, command, nodes, nodesTable);
    });
}

function nodesTable(nodes: readonly Node[]): string {
  return nodes.length === 0
    ? 'There are no nodes.\n'
    : table(['ID', 'STATE', 'VERSION', 'BUSY', 'STARTED', 'HEARTBEAT', 'JOBS'], nodes.map(nodeRow));
}

function nodeRow(node: Node): readonly string[] {
  return [
    node.id,
    node.isAlive ? 'alive' : 'silent',
    node.version,
    `${node.busySlots}/${node.slots}`,
    instantText(node.startedAtUnixMs),
    instantText(node.heartbeatAtUnixMs),
    node.jobNames.join(', '),
  ];
}

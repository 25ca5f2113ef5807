// A process of its own that uses the server of a data folder, until its input ends.
import { startEmbeddedPostgres } from '../../sample/support/embedded-postgres/start.mjs';

const server = await startEmbeddedPostgres({ dataFolder: process.argv[2] ?? '', log: () => undefined });
process.stdout.write(`${JSON.stringify(server)}\n`);
process.stdin.on('end', () => void server.stop()).resume();

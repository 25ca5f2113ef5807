import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { ApplicationLogger } from './application-logger.js';
import { environment, type Environment } from './environment.js';
import { startFailure } from './start-failure.js';

/** Resolves when this process is asked to stop. Further requests change nothing: the shutdown is bounded anyway. */
function untilStopRequested(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
    // The process that started this one is gone, and nobody else would stop it.
    process.on('disconnect', () => resolve());
  });
}

// A log that nobody reads any more is no reason to crash in the middle of a run.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

try {
  // From here on, so that a request during start-up is not the end of runs that the node has just claimed.
  const stopRequested = untilStopRequested();
  const app = await NestFactory.create(AppModule, {
    logger: new ApplicationLogger(),
    abortOnError: false,
    forceCloseConnections: true,
  });
  const { PORT } = app.get<Environment>(environment.KEY);
  // Operators are not authenticated here, so only this machine gets in.
  await app.listen(PORT, '127.0.0.1');
  const logger = new Logger('Operations');
  logger.log(`Operators are served at ${await app.getUrl()}/schedules`);
  await stopRequested;
  logger.log('Stopping: running jobs may finish first.');
  // Lets running handlers finish, journals how they ended, and only then closes the database.
  await app.close();
  logger.log('Stopped.');
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
if (process.connected) {
  process.disconnect();
}

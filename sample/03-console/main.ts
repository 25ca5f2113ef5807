import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, { logger: ['fatal', 'error', 'warn'] });
app.enableShutdownHooks();
app.setGlobalPrefix('back-office');
await app.listen(Number(process.env['PORT'] ?? 3230), '127.0.0.1');
const logger = new Logger('Sample');
logger.warn(`The console is at ${await app.getUrl()}/back-office/schedules`);
logger.warn('Sign in as otto, who may change things, or as vera, who may look; the password is the name.');
// The process that started this one is gone, and nobody else would stop it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

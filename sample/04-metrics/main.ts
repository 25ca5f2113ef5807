import './instrumentation.js';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['fatal', 'error', 'warn'] });
app.enableShutdownHooks();
new Logger('Sample').warn(
  `Metrics are served at http://127.0.0.1:${process.env['METRICS_PORT'] ?? 9464}/metrics`,
);
// The process that started this one is gone, and nobody else would stop it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

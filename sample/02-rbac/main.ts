import 'reflect-metadata';
import { Logger, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, { logger: ['fatal', 'error', 'warn'] });
app.enableShutdownHooks();
app.useGlobalPipes(new ValidationPipe({ whitelist: true }));
// The management API documents itself.
const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Schedules').build());
SwaggerModule.setup('docs', app, document);
await app.listen(Number(process.env['PORT'] ?? 3220), '127.0.0.1');
new Logger('Sample').warn(`The API is served at ${await app.getUrl()}/api, its documentation at /docs`);
// The process that started this one is gone, and nobody else would stop it.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

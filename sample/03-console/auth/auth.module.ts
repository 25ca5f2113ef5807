import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LoginController } from './login.controller.js';
import { SessionGuard } from './session.guard.js';
import { SessionsService } from './sessions.service.js';

@Module({
  controllers: [LoginController],
  providers: [SessionsService, { provide: APP_GUARD, useClass: SessionGuard }],
  exports: [SessionsService],
})
export class AuthModule {}

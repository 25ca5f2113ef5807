import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { AuthController } from './auth.controller.js';

@Module({
  imports: [
    JwtModule.register({
      // Without a secret of the environment's, tokens are good until the next start.
      secret: process.env['JWT_SECRET'] || randomBytes(32).toString('base64url'),
      signOptions: { expiresIn: '15m' },
    }),
  ],
  controllers: [AuthController],
  exports: [JwtModule],
})
export class AuthModule {}

import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PUBLIC } from './public.js';
import { sessionTokenOf } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';
import type { User } from './users.js';

interface AuthenticatedRequest {
  readonly headers: { readonly cookie?: string };
  user?: User;
}

/** Guards the whole application: whoever has no session gets no further than to what is public. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: SessionsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const user = await this.sessions.userOf(sessionTokenOf(request.headers.cookie));
    if (user !== undefined) {
      request.user = user;
      return true;
    }
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()])) {
      return true;
    }
    throw new UnauthorizedException('Sign in.');
  }
}

import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { PERMISSIONS } from './permissions.js';
import type { Token } from './token.js';

/** What the guard reads of a request, and what it leaves there. */
interface AuthenticatedRequest {
  readonly headers: { readonly authorization?: string };
  user?: Token & { readonly permissions: readonly string[] };
}

/** Lets in who brings a valid token, and leaves on the request who that is and what they may do. */
@Injectable()
export class JwtAuthGuard implements CanActivate {
  constructor(private readonly jwt: JwtService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const [scheme, token = ''] = request.headers.authorization?.split(' ') ?? [];
    if (scheme !== 'Bearer') {
      throw new UnauthorizedException();
    }
    try {
      const user = await this.jwt.verifyAsync<Token>(token);
      request.user = { ...user, permissions: PERMISSIONS[user.role] };
    } catch {
      throw new UnauthorizedException();
    }
    return true;
  }
}

import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { environment, type Environment } from '../environment.js';

/** Whom the guard finds. */
interface User {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
}

const VIEWER: User = {
  id: 'viewer',
  name: 'Viewer',
  permissions: ['cron.schedule.query', 'cron.run.query'],
};

const OPERATOR: User = {
  id: 'operator',
  name: 'Operator',
  permissions: [...VIEWER.permissions, 'cron.schedule.manage', 'cron.run.manage', 'cron.audit.query'],
};

interface AuthenticatedRequest {
  readonly headers: { readonly authorization?: string };
  user?: User;
}

/** Lets in who brings one of the two tokens of this start, which is enough for an application that only this machine reaches. */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@Inject(environment.KEY) private readonly environment: Environment) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const user = this.userOf(request.headers.authorization ?? '');
    if (user === undefined) {
      throw new UnauthorizedException('Bring a token of this start, which its first lines show.');
    }
    request.user = user;
    return true;
  }

  private userOf(authorization: string): User | undefined {
    const { OPERATOR_TOKEN, VIEWER_TOKEN } = this.environment;
    const users = new Map([
      [`Bearer ${OPERATOR_TOKEN}`, OPERATOR],
      [`Bearer ${VIEWER_TOKEN}`, VIEWER],
    ]);
    return users.get(authorization);
  }
}

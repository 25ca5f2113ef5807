import { Body, Controller, Get, Header, Headers, Post, Redirect, Res } from '@nestjs/common';
import { loginPage } from './login-page.js';
import { Public } from './public.js';
import { EXPIRED_COOKIE, sessionCookie, sessionTokenOf } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';
import { USERS } from './users.js';

const CONSOLE = '/back-office/schedules';
const LOGIN = '/back-office/login';

/** As much of Express's response as a login needs. */
interface CookieResponse {
  setHeader(name: string, value: string): void;
}

/** The application's own login, from which the console only takes the cookie. */
@Controller('login')
@Public()
export class LoginController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  show(): string {
    return loginPage(USERS.map(({ id }) => id));
  }

  @Post()
  @Redirect(CONSOLE, 303)
  async signIn(
    @Body() { username, password }: { readonly username?: unknown; readonly password?: unknown },
    @Res({ passthrough: true }) response: CookieResponse,
  ): Promise<{ readonly url: string } | undefined> {
    const user = USERS.find(({ id }) => id === username && id === password);
    if (user === undefined) {
      return { url: LOGIN };
    }
    response.setHeader('Set-Cookie', sessionCookie(await this.sessions.open(user)));
    return undefined;
  }

  @Post('end')
  @Redirect(LOGIN, 303)
  async signOut(
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) response: CookieResponse,
  ): Promise<void> {
    await this.sessions.close(sessionTokenOf(cookies));
    response.setHeader('Set-Cookie', EXPIRED_COOKIE);
  }
}

import { Body, Controller, HttpCode, Post, UnauthorizedException } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { IsString } from 'class-validator';
import type { Token } from './token.js';
import { findUser } from './users.js';

class Credentials {
  @IsString()
  username = '';

  @IsString()
  password = '';
}

@Controller('login')
export class AuthController {
  constructor(private readonly jwt: JwtService) {}

  @Post()
  @HttpCode(200)
  async login(@Body() { username, password }: Credentials): Promise<{ readonly accessToken: string }> {
    const user = findUser(username, password);
    if (user === undefined) {
      throw new UnauthorizedException();
    }
    const token: Token = { sub: user.id, name: user.name, role: user.role };
    return { accessToken: await this.jwt.signAsync(token) };
  }
}

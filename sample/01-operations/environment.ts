import { randomUUID } from 'node:crypto';
import { registerAs, type ConfigType } from '@nestjs/config';
import { plainToInstance, Type } from 'class-transformer';
import { IsInt, IsNotEmpty, IsString, Matches, Max, Min, validateSync } from 'class-validator';

class EnvironmentVariables {
  @Matches(/^postgres(ql)?:\/\//, {
    message: 'DATABASE_URL must be set, as in postgres://user:password@host:5432/database',
  })
  DATABASE_URL!: string;

  /** Where operators are served; 0 takes any free port. */
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  PORT = 3210;

  /** With which operators sign in to the console; without one nobody does. */
  @IsString()
  @IsNotEmpty()
  OPERATOR_TOKEN: string = randomUUID();

  @IsString()
  @IsNotEmpty()
  VIEWER_TOKEN: string = randomUUID();

  /** When the digest of the journal is first scheduled; from then on it is the operators' to change. */
  @IsString()
  @IsNotEmpty()
  DIGEST_CRON = '0 2 * * *';

  @IsString()
  @IsNotEmpty()
  DIGEST_TIMEZONE = 'Asia/Shanghai';
}

/** The environment variables of the application, validated once at start-up. */
export const environment = registerAs('environment', () => validated(process.env));

export type Environment = ConfigType<typeof environment>;

function validated(variables: NodeJS.ProcessEnv): EnvironmentVariables {
  const read = plainToInstance(EnvironmentVariables, variables, { exposeDefaultValues: true });
  const faults = validateSync(read).flatMap(({ constraints = {} }) => Object.values(constraints));
  if (faults.length > 0) {
    throw new Error(`the environment is not usable. ${faults.join('; ')}.`);
  }
  return read;
}

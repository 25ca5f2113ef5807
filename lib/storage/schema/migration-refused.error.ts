import { messageOf } from '../../error-reading.js';
import { storeCommand } from '../../store-command.js';
import { StoreSchemaError } from './store-schema.error.js';

/** The role may not migrate. Nothing was changed. */
export class MigrationRefusedError extends StoreSchemaError {
  /** What was refused, without what to do: that depends on who asked for it. */
  readonly refusal: string;

  constructor(role: string, schema: string, cause: unknown) {
    const refusal = `The role ${JSON.stringify(role)} may not migrate the schema ${JSON.stringify(schema)}: ${messageOf(cause)}.`;
    super(
      `${refusal} Run the migrations as the role that owns the tables (\`${storeCommand(schema, 'migrate', 'up')}\`), and leave autoMigrate off here.`,
      { cause },
    );
    this.refusal = refusal;
  }
}

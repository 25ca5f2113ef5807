import type { JsonValue } from '../../schedules/index.js';

/** As much of JSON Schema as describes the API; OpenAPI takes it as it is. */
export interface JsonSchema {
  readonly type?: 'string' | 'boolean' | 'integer' | 'number' | 'object' | 'array';
  readonly format?: 'int64' | 'uuid';
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: JsonValue;
  readonly enum?: string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: JsonValue;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: string[];
  readonly additionalProperties?: boolean;
}

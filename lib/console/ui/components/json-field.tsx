import type { ComponentChildren } from 'preact';
import { Field } from './field.js';
import { type JsonInput, readJson, writeJson } from './json-text.js';

interface JsonFieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly text: string;
  /** Why it must not be empty. Absent: it may be. */
  readonly emptyError?: string | undefined;
  readonly onText: (text: string) => void;
}

/** JSON to edit, with what is wrong with it as it is typed. */
export function JsonField({ label, hint, text, emptyError, onText }: JsonFieldProps) {
  const input = readJson(text);
  const format = () => {
    if (input.kind === 'value') {
      onText(writeJson(input.value));
    }
  };
  return (
    <Field label={label} hint={hint} error={errorOf(input, emptyError)}>
      <textarea
        class="code"
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onBlur={format}
      />
    </Field>
  );
}

function errorOf(input: JsonInput, emptyError: string | undefined): string | undefined {
  switch (input.kind) {
    case 'none':
      return emptyError;
    case 'invalid':
      return input.message;
    case 'value':
      return undefined;
  }
}

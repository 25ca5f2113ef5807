import type { ComponentChildren } from 'preact';
import { Field } from './field.js';
import { readJson, writeJson } from './json-text.js';

interface JsonFieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** JSON to edit, with what is wrong with it as it is typed. */
export function JsonField({ label, hint, text, onText }: JsonFieldProps) {
  const input = readJson(text);
  const format = () => {
    if (input.kind === 'value') {
      onText(writeJson(input.value));
    }
  };
  return (
    <Field label={label} hint={hint} error={input.kind === 'invalid' ? input.message : undefined}>
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

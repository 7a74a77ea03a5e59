import { compileTemplate, type Template } from './template.ts';

/**
 * Reads templates once: thousands of associations share a few. The one that was read first is evicted.
 * @throws TemplateError as `compileTemplate` does
 */
export function keepTemplates(countMax: number): (text: string) => Template {
  const kept = new Map<string, Template>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const template = compileTemplate(text);
    const oldest = kept.keys().next().value;
    if (kept.size >= countMax && oldest !== undefined) kept.delete(oldest);
    kept.set(text, template);
    return template;
  };
}

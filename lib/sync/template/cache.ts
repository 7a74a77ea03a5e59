import { LRUCache } from 'lru-cache';
import { compileTemplate, type Template } from './template.ts';

/**
 * Reads templates once: thousands of associations share a few. The one that was used longest ago is evicted.
 * @throws TemplateError as `compileTemplate` does
 */
export function keepTemplates(countMax: number): (text: string) => Template {
  const kept = new LRUCache<string, Template>({ max: countMax });
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const template = compileTemplate(text);
    kept.set(text, template);
    return template;
  };
}

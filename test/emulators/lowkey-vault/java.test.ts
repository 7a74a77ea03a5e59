import { expect, test } from 'vitest';
import { javaFeature } from './java.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)\n', 17],
  ['openjdk version "25" 2025-09-16 LTS\n', 25],
  ['openjdk version "26-ea" 2026-03-17\n', 26],
  ['java version "1.8.0_392"\nJava(TM) SE Runtime Environment (build 1.8.0_392-b08)\n', 8],
  ['Picked up JAVA_TOOL_OPTIONS: -Xmx512m\nopenjdk version "21.0.9" 2025-10-21\n', 21],
  ['The operation could not be completed. Unable to locate a Java Runtime.\n', undefined],
])('%j is of Java %s', (text, feature) => {
  expect(javaFeature(text)).toBe(feature);
});

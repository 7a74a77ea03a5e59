import { apiFunction } from '#app.ts';

/** The API, behind an HTTP API of the platform. */
export const handler = apiFunction();

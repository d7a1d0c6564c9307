/** Sample lists in `docs/`. The first list is valid. The second list has 250 lines, with 12 errors of five kinds. */
export const SAMPLE_LISTS = ['servers.csv', 'servers-250.csv'] as const;

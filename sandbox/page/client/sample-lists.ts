/** Sample lists in `docs/`: a correct one, and one of 250 lines with 12 errors of five kinds. */
export const SAMPLE_LISTS = ['servers.csv', 'servers-250.csv'] as const;

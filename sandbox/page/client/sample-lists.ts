/** The lists that ship in `docs/`: one as it should be, and one of 250 lines of which 12 are wrong in five ways. */
export const SAMPLE_LISTS = ['servers.csv', 'servers-250.csv'] as const;

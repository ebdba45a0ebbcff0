export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** The slice of a list that is requested: pages count from 1. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/** The documented pagination object. */
export interface Pagination extends PageRequest {
  readonly total: number;
  readonly totalPages: number;
}

export function paginate({ page, limit }: PageRequest, total: number): Pagination {
  return { page, limit, total, totalPages: Math.ceil(total / limit) };
}

/** Counts the rows before the page. Returns null when the page lies past the end. */
export function getPageOffset({ page, limit }: PageRequest, total: number): number | null {
  const offset = (page - 1) * limit;
  return offset < total ? offset : null;
}

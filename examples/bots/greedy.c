/* A bot of the interface stdio in C: takes a corner if it can, else the move that turns most discs (fewest when reversed).

   cc -O2 -o greedy examples/bots/greedy.c
   outflank match 'stdio(cmd="./greedy")' random --games 20 */

#include <stdio.h>
#include <string.h>

static int turned(const char *board, int size, char me, int row, int column) {
    if (board[row * size + column] != '-') return 0;
    int total = 0;
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++) {
            if (!down && !right) continue;
            int r = row + down, c = column + right, run = 0;
            while (r >= 0 && r < size && c >= 0 && c < size && board[r * size + c] != '-' && board[r * size + c] != me)
                r += down, c += right, run++;
            if (run && r >= 0 && r < size && c >= 0 && c < size && board[r * size + c] == me) total += run;
        }
    return total;
}

int main(void) {
    char line[1024], board[300], variant[20] = "standard", me = 'X';
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "game %19s %*s %c", variant, &me) == 2) continue;
        if (sscanf(line, "move %299s", board) != 1) continue;
        int size = 1, found = 0, best = 0, best_row = 0, best_column = 0;
        while (size * size < (int)strlen(board)) size++;
        for (int row = 0; row < size; row++)
            for (int column = 0; column < size; column++) {
                int value = turned(board, size, me, row, column);
                if (!value) continue;
                if (row % (size - 1) == 0 && column % (size - 1) == 0) value += 100;
                if (!strcmp(variant, "reversed")) value = -value;
                if (!found || value > best) found = 1, best = value, best_row = row, best_column = column;
            }
        printf("%c%d\n", 'a' + best_column, best_row + 1);
        fflush(stdout);
    }
    return 0;
}

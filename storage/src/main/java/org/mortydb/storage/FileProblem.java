package org.mortydb.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says what is wrong with a file, in words for an operator instead of Java's class names. */
public final class FileProblem {
  private FileProblem() {}

  /** Returns the problem as a phrase that names the file, if the exception does. */
  public static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException e -> e.getFile() + " does not exist";
      case AccessDeniedException e -> "this user has no access to " + e.getFile();
      case FileAlreadyExistsException e -> e.getFile() + " exists and is not a directory";
      case NotDirectoryException e -> e.getFile() + " is not a directory";
      case DirectoryNotEmptyException e -> "the directory " + e.getFile() + " is not empty";
      case FileSystemException e when e.getFile() != null && e.getReason() != null ->
          e.getFile() + ": " + e.getReason();
      case IOException e when e.getMessage() != null -> e.getMessage();
      case IOException e -> "an I/O error (" + e.getClass().getSimpleName() + ")";
    };
  }
}
